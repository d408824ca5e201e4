//! A bank that moves money between two accounts: with a deadlock, and without.

use selvedge::sync::Mutex;

/// Two accounts.
pub struct Bank {
    accounts: [Mutex<i64>; 2],
}

impl Bank {
    /// A bank with this amount on each account.
    pub fn new(amount: i64) -> Bank {
        Bank { accounts: [Mutex::new(amount), Mutex::new(amount)] }
    }

    /// Moves money. Locks the source account first: two transfers in opposite directions can wait for each
    /// other for ever.
    pub fn transfer(&self, from: usize, to: usize, amount: i64) {
        let mut source = self.accounts[from].lock().unwrap();
        let mut target = self.accounts[to].lock().unwrap();
        *source -= amount;
        *target += amount;
    }

    /// Moves money. Locks the accounts in the order of their numbers.
    pub fn transfer_in_order(&self, from: usize, to: usize, amount: i64) {
        let mut low = self.accounts[from.min(to)].lock().unwrap();
        let mut high = self.accounts[from.max(to)].lock().unwrap();
        let (source, target) = if from < to { (&mut *low, &mut *high) } else { (&mut *high, &mut *low) };
        *source -= amount;
        *target += amount;
    }

    /// The sum of both accounts.
    pub fn total(&self) -> i64 {
        self.accounts.iter().map(|account| *account.lock().unwrap()).sum()
    }
}

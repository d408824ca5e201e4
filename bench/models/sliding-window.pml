/* models/sliding-window.par in Promela. */
chan data = [CAPACITY] of { byte };
chan answers = [CAPACITY] of { byte };
byte wrong, sent;

active proctype sender() {
  byte first, last;
  do
  :: atomic { sent < WINDOW && nfull(data); data!((first + sent) % (2 * NUMBERS)); sent++ }
  :: answers?last;
     skip;
     atomic {
       last = (last + NUMBERS - first % NUMBERS) % NUMBERS;
       if
       :: last < WINDOW ->
          first = (first + last + 1) % (2 * NUMBERS);
          if :: last < sent -> sent = sent - last - 1 :: else -> sent = 0 fi
       :: else
       fi;
       last = 0
     }
  :: atomic { sent > 0; sent = 0 }
  od
}

active proctype receiver() {
  byte message, expected;
  do
  :: data?message;
     if
     :: message % NUMBERS == expected % NUMBERS ->
        if :: message != expected -> wrong = 1 :: else fi;
        assert(wrong == 0);
        expected = (expected + 1) % (2 * NUMBERS)
     :: else
     fi;
     message = 0;
     answers!((expected + NUMBERS - 1) % NUMBERS)
  od
}

active proctype thief() {
  byte loot;
  do
  :: if :: data?loot :: answers?loot fi;
     skip;
     loot = 0
  od
}

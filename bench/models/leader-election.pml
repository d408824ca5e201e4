/* models/leader-election.par in Promela. */
byte mail[N + 1];
byte leaders, leader, informed, candidacies;

active [N] proctype p() {
  byte i = _pid + 1;
  byte message;
  byte next = (i + N - 2) % N + 1;
  atomic { mail[next] == 0; mail[next] = i; candidacies++ };
  do
  :: message <= N ->
     atomic { mail[i] != 0; message = mail[i]; mail[i] = 0 };
     if
     :: message == i -> atomic { leaders++; assert(leaders <= 1); leader = i; message = N + i }
     :: else
     fi;
     if
     :: i < message ->
        if
        :: message <= N -> atomic { mail[next] == 0; mail[next] = message; candidacies++ }
        :: else ->
           if
           :: message != N + next -> atomic { mail[next] == 0; mail[next] = message }
           :: else
           fi
        fi
     :: else
     fi
  :: else -> break
  od;
  informed++
}

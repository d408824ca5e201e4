/* models/szymanski.par in Promela. */
byte flag[N + 1];
byte inside;

active [N] proctype p() {
  byte i = _pid + 1;
  byte j, found;
  do
  :: do :: j = 0 :: break od; /* An empty loop is refused; j is 0 here anyway. */
     atomic { flag[i] = 1; j = 1 };
     do
     :: j <= N -> if :: flag[j] < 3 -> j++ :: else fi
     :: else -> break
     od;
     atomic { flag[i] = 3; j = 1; found = 0 };
     do
     :: j <= N && found == 0 -> atomic { if :: flag[j] == 1 -> found = 1 :: else fi; j++ }
     :: else -> break
     od;
     if
     :: found == 1 ->
        atomic { flag[i] = 2; j = 1 };
        do
        :: flag[j] != 4 -> j = j % N + 1
        :: else -> break
        od
     :: else
     fi;
     atomic { flag[i] = 4; j = 1; found = 0 };
     do
     :: j < i -> if :: flag[j] < 2 -> j++ :: else fi
     :: else -> break
     od;
     inside++;
     assert(inside <= 1);
     atomic { inside--; j = i + 1 };
     do
     :: j <= N -> if :: flag[j] < 2 || flag[j] == 4 -> j++ :: else fi
     :: else -> break
     od;
     atomic { flag[i] = 0; j = 0 }
  od
}

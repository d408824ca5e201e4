/* models/philosophers.par in Promela. */
byte fork[N + 1];
byte eating;

active [N] proctype phil() {
  byte i = _pid + 1;
  do
  :: atomic { fork[i] == 0; fork[i] = 1 };
     atomic { fork[i % N + 1] == 0; fork[i % N + 1] = 1; eating++ };
     assert(eating <= N / 2);
     atomic { fork[i] = 0; eating-- };
     fork[i % N + 1] = 0
  od
}

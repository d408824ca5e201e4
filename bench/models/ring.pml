/* A ring of N processes: one enters while its neighbour does not want to enter. */
byte x[N + 1];

active [N] proctype p() {
  byte i = _pid + 1;
  do
  :: x[i] = 1;
     do
     :: x[i % N + 1] == 1 -> x[i] = 0; x[i] = 1
     :: else -> break
     od;
     skip;
     x[i] = 0
  od
}

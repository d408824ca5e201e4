/* models/peterson.par in Promela. */
byte level[N + 1];
byte last[N + 1];
byte inside;

active [N] proctype p() {
  byte i = _pid + 1;
  byte l, other;
  do
  :: l = 1;
     do
     :: l < N ->
        level[i] = l;
        atomic { last[l] = i; other = 1 };
        do
        :: other <= N ->
           (other == i || level[other] < l || last[l] != i);
           other++
        :: else -> break
        od;
        l++
     :: else -> break
     od;
     inside++;
     assert(inside <= 1);
     atomic { inside--; level[i] = 0; l = 0; other = 0 }
  od
}

%% The alternating bit protocol (K. A. Bartlett, R. A. Scantlebury and P. T. Wilkinson, 1969).
%%
%% Messages cross a channel that may lose them, and so do the answers. The sender repeats a message when
%% its timeout expires; the receiver takes a message only if its bit is the expected bit, and answers
%% each message with its bit. The channels are processes that choose. The contents of messages count
%% modulo 3, so that a lost, doubled or old message violates a property.
%%
%% The timeout is long: it expires only when no other process can move, which means that the message or
%% its answer is lost. So at most one message is on its way. With a shorter timeout, or a greater
%% `--long-timeout`, the sender can fill the channel's mailbox without end, and the search reaches a
%% limit.
%%
%% Claims: messages are delivered in order, without loss or doubling. They are delivered again and again if
%% both channels do pass on again and again, and only then.
-module('alternating-bit').
-export([main/0]).
-import(selvedge, [prop/1, choice/1]).

-property({begins, "(!{delivered,1} & !{delivered,2}) W {delivered,0}"}).
-property({after_0, "G ({delivered,0} -> (!{delivered,2}) W {delivered,1})"}).
-property({after_1, "G ({delivered,1} -> (!{delivered,0}) W {delivered,2})"}).
-property({after_2, "G ({delivered,2} -> (!{delivered,1}) W {delivered,0})"}).
-property({delivery, "G F {delivered,0}", violated}).
-property({retries, "G F {passed,data} -> G F {delivered,0}", violated}).
-property({delivered, "G F {passed,data} & G F {passed,answer} -> G F {delivered,0}"}).

main() ->
    Sender = self(),
    Answers = spawn(fun() -> channel(answer, Sender) end),
    Receiver = spawn(fun() -> receiver(Answers, 0) end),
    Data = spawn(fun() -> channel(data, Receiver) end),
    sender(Data, 0, 0).

channel(Kind, To) ->
    receive
        {send, Message} ->
            case choice([pass, lose]) of
                pass ->
                    prop({passed, Kind}),
                    To ! Message;
                lose -> ok
            end,
            channel(Kind, To)
    end.

sender(Data, Bit, Content) ->
    Data ! {send, {message, Bit, Content}},
    receive
        {answer, Bit} -> sender(Data, 1 - Bit, (Content + 1) rem 3);
        {answer, _} -> sender(Data, Bit, Content)
    after 5000 -> sender(Data, Bit, Content)
    end.

receiver(Answers, Expected) ->
    receive
        {message, Expected, Content} ->
            prop({delivered, Content}),
            Answers ! {send, {answer, Expected}},
            receiver(Answers, 1 - Expected);
        {message, Bit, _} ->
            Answers ! {send, {answer, Bit}},
            receiver(Answers, Expected)
    end.

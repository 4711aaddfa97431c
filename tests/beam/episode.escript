#!/usr/bin/env escript
%% A whole episode: 200 steps of every action a distant agent has, every id in order, and the start again once all are undone.
%%! -noinput
-include("peer.hrl").

-define(STEPS, 200).
%% CONTRACT gives each undone action 1e-12; 200 of them may add up.
-define(TOLERANCE, 2.0e-10).

main([Peer | Args]) ->
    Port = open(Peer, Args),
    Start = state(reset(Port, 1)),
    {End, Undo} = lists:foldl(fun(N, Done) -> forth(Port, N, Done) end, {Start, []}, lists:seq(1, ?STEPS)),
    true = distance(Start, End) > 0.01,
    [back(Port, ?STEPS + N, Done) || {N, Done} <- lists:enumerate(Undo)],
    io:format("1 passed, 0 failed~n").

forth(Port, N, {State, Undo}) ->
    {Action, Back} = motion(N rem 7, N, State),
    {step(Port, N, Action), [{Back, State} | Undo]}.

back(Port, N, {Action, Before}) ->
    true = distance(Before, step(Port, N, Action)) < ?TOLERANCE.

%% The N-th action and what undoes it, given the state before it.
motion(0, N, _) -> both(move_forward, distance, 0.0005 * (N rem 5 - 2));
motion(1, N, _) -> both(turn_left, rotation_degrees, 0.7 * (N rem 9));
motion(2, N, _) -> both(turn_right, rotation_degrees, 0.4 * (N rem 11));
motion(3, N, _) -> both(look_up, rotation_degrees, 0.3 * (N rem 4));
motion(4, N, _) -> unclamped(both(look_down, rotation_degrees, 0.2 * (N rem 6)));
motion(5, N, #{<<"position">> := Position, <<"rotation">> := Rotation}) ->
    {jump([0.001 * N, 1.5, 0.2], [0.8, 0.0, 0.6, 0.0]), jump(Position, Rotation)};
motion(6, _, #{<<"sensors">> := #{<<"patch">> := #{<<"rotation">> := Rotation}}}) ->
    {action(set_sensor_rotation, #{rotation_quat => [1.0, 0.0, 0.0, 0.0]}),
     action(set_sensor_rotation, #{rotation_quat => Rotation})}.

both(Name, Key, Amount) -> {action(Name, #{Key => Amount}), action(Name, #{Key => -Amount})}.

unclamped({Action, Back}) -> {Action#{constraint_degrees => null}, Back#{constraint_degrees => null}}.

jump(Position, Rotation) -> action(set_agent_pose, #{location => Position, rotation_quat => Rotation}).

step(Port, N, Action) -> state(call(Port, #{id => N + 1, command => step, actions => [Action]})).

state(#{<<"proprioceptive_state">> := #{<<"agent_id_0">> := State}}) -> State.

%% The largest difference of any coordinate of two states.
distance(A, B) -> lists:max([abs(X - Y) || {X, Y} <- lists:zip(numbers(A), numbers(B))]).

numbers(Map) when is_map(Map) -> lists:flatmap(fun numbers/1, maps:values(Map));
numbers(List) -> List.

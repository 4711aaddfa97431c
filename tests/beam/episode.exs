# A whole episode: 200 steps of what a distant agent does, every id in order, and the start again once all are undone.
ExUnit.start(autorun: false)
Code.require_file("peer.ex", __DIR__)

defmodule Episode do
  use ExUnit.Case

  @steps 200
  # CONTRACT gives each undone action 1e-12; 200 of them may add up.
  @tolerance 2.0e-10

  test "200 steps and back" do
    port = Peer.open(System.argv())
    start = state(Peer.reset(port, 1))
    there = Enum.reduce(1..@steps, start, fn n, _ -> step(port, n, motion(n, 1)) end)
    assert distance(start, there) > 0.01
    back = Enum.reduce(@steps..1, there, fn n, _ -> step(port, 2 * @steps + 1 - n, motion(n, -1)) end)
    assert distance(start, back) < @tolerance
  end

  # The n-th action, or with sign -1 its undo.
  defp motion(n, sign) do
    case rem(n, 5) do
      0 -> Peer.action("move_forward", %{distance: sign * 0.0005 * (rem(n, 4) - 1)})
      1 -> Peer.action("turn_left", %{rotation_degrees: sign * 0.7 * rem(n, 9)})
      2 -> Peer.action("turn_right", %{rotation_degrees: sign * 0.4 * rem(n, 11)})
      3 -> Peer.action("look_up", %{rotation_degrees: sign * 0.3 * rem(n, 4)})
      4 -> Peer.action("look_down", %{rotation_degrees: sign * 0.2 * rem(n, 6), constraint_degrees: :null})
    end
  end

  defp step(port, n, action), do: state(Peer.call(port, %{id: n + 1, command: "step", actions: [action]}))

  defp state(%{"proprioceptive_state" => %{"agent_id_0" => state}}), do: state

  # The largest difference of any coordinate of two states.
  defp distance(a, b) do
    Enum.zip(numbers(a), numbers(b)) |> Enum.map(fn {x, y} -> abs(x - y) end) |> Enum.max()
  end

  defp numbers(map) when is_map(map), do: map |> Map.values() |> Enum.flat_map(&numbers/1)
  defp numbers(list), do: list
end

Peer.run_tests()

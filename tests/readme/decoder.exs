# Follows the README's decoder: what it reads of a binary reply must be what nested lists hold.
args = ["port", "--modalities", "depth,rgba,semantic,semantic_3d,sensor_frame_data,percept"]
port = Port.open({:spawn_executable, System.fetch_env!("SACCADE")}, [:binary, {:packet, 4}, args: args])

ask = fn encoding ->
  Port.command(port, :jiffy.encode(%{id: 1, command: "reset", episode: 0, encoding: encoding}))

  receive do
    {^port, {:data, body}} -> body
  after
    30_000 -> exit(:timeout)
  end
end

as_f32 = fn rows -> for row <- rows, do: for(v <- row, <<f::float-32>> <- [<<v::float-32>>], do: f) end

binary = Arrays.decode(ask.("binary"))
nested = :jiffy.decode(ask.("nested"), [:return_maps])
sensors = nested["observations"]["agent_id_0"]
rounded = Map.new(sensors, fn {id, values} -> {id, Map.update!(values, "depth", as_f32)} end)

for {_, sensor} <- rounded do
  true = sensor["depth"] |> List.flatten() |> Enum.uniq() |> length() > 100
  [64, 4096] = [length(sensor["rgba"]), length(sensor["semantic_3d"])]
end

true = binary == put_in(nested["observations"]["agent_id_0"], rounded)
IO.puts("equal")

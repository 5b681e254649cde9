// What of a feature stays while its components come and go.

/** Makes a feature's state for each owner (a window, a request view) when it is first asked for. */
export function kept<Owner extends object, State>(make: (owner: Owner) => State): (owner: Owner) => State {
  const known = new WeakMap<Owner, { state: State }>();
  return (owner) => {
    const there = known.get(owner);
    if (there) return there.state;
    const made: { state?: State } = {};
    // It outlives the component that asks for it, and so must what it derives.
    $effect.root(() => {
      made.state = make(owner);
    });
    known.set(owner, made as { state: State });
    return made.state as State;
  };
}

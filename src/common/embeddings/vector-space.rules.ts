import type { VectorSpace, WantedSpace } from './vector-space.types.js';

/**
 * Whether the vectors of a space are those that the settings ask for. Its query prefix is not in them.
 * @param answered dimensions of a vector that the endpoint gives now, where one was asked for
 */
export function isAsWanted(space: VectorSpace, wanted: WantedSpace, answered: number | undefined): boolean {
  const { model, askedDimensions, passagePrefix, inputTokens, dimensions } = space;
  return (
    model === wanted.model &&
    askedDimensions === wanted.askedDimensions &&
    passagePrefix === wanted.passagePrefix &&
    inputTokens === wanted.inputTokens &&
    (dimensions === null || answered === undefined || dimensions === answered)
  );
}

/** The model, so that vectors of releases before belong to it; with a number where it is not the model's first. */
export function nameOf({ model, askedDimensions, passagePrefix }: WantedSpace, taken: readonly string[]): string {
  const isPlain = askedDimensions === null && passagePrefix === '' && !taken.includes(model);
  if (isPlain) return model;
  for (let number = taken.length + 1; ; number++) {
    const name = `${model}#${number}`;
    if (!taken.includes(name)) return name;
  }
}

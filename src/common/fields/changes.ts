/** The members of `wanted` that were given and differ from what there is. */
export function changesOf<T extends object>(current: T, wanted: { [K in keyof T]?: T[K] | undefined }): Partial<T> {
  const differing = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && value !== current[name as keyof T],
  );
  return Object.fromEntries(differing) as Partial<T>;
}

/** The index of the first number above `bound`, from `from` on; the list's length when there is none. */
export function firstAbove(ascending: ArrayLike<number>, bound: number, from = 0): number {
  let low = from;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}

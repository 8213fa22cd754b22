import type { ListedVector, NearItem, VectorReader } from './memory-vectors.types.js';

const PUBLIC = 0;
const RESERVED = 2;

/** One tenant's vectors of one kind and space, in memory. */
export class VectorList {
  place = 0;
  removals = 0;
  private readonly items = new Map<string, ListedVector>();
  private bytes = 500;

  get byteSize(): number {
    return this.bytes;
  }

  add(rows: readonly (ListedVector & { place: number })[]): void {
    for (const { place, ...item } of rows) {
      this.remove(item.itemId);
      if (item.vector) {
        this.items.set(item.itemId, item);
        this.bytes += sizeOf(item);
      }
      this.place = Math.max(this.place, place);
    }
  }

  clear(): void {
    this.items.clear();
    this.bytes = 500;
    this.place = 0;
  }

  /**
   * Everything that the reader may see by its cosine with the query, greatest first, equal ones by id. What others keep
   * private is not compared.
   * @param among ids among which they are
   */
  nearest(
    query: Float32Array,
    { principal, seesAll, withReserved }: VectorReader,
    among?: Iterable<string>,
  ): NearItem[] {
    const near: NearItem[] = [];
    const items = among ? [...among].flatMap((id) => this.items.get(id) ?? []) : this.items.values();
    for (const { itemId, visibility, owner, vector } of items) {
      if (visibility !== PUBLIC && !((seesAll || owner === principal) && (withReserved || visibility !== RESERVED)))
        continue;
      if (vector!.length === query.length) near.push({ itemId, similarity: dot(vector!, query) });
    }
    return near.sort((a, b) => b.similarity - a.similarity || (a.itemId < b.itemId ? -1 : 1));
  }

  private remove(itemId: string): void {
    const known = this.items.get(itemId);
    if (!known) return;
    this.items.delete(itemId);
    this.bytes -= sizeOf(known);
  }
}

const sizeOf = ({ vector }: ListedVector): number => (vector?.byteLength ?? 0) + 300;

/** Four sums at once: the processor does not wait for one addition before it begins the next. */
function dot(a: Float32Array, b: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const end = a.length - (a.length % 4);
  for (let i = 0; i < end; i += 4) {
    first += a[i]! * b[i]!;
    second += a[i + 1]! * b[i + 1]!;
    third += a[i + 2]! * b[i + 2]!;
    fourth += a[i + 3]! * b[i + 3]!;
  }
  for (let i = end; i < a.length; i++) first += a[i]! * b[i]!;
  return first + second + third + fourth;
}

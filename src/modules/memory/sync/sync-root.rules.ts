import { emptyRoot, leafHash, nodeHash } from '../../../evidence/merkle.js';

/**
 * The root of a tree to which leaves are only added (RFC 6962 section 2.1), kept as the roots of its whole subtrees,
 * the largest first: as many as the number of leaves has ones among its binary digits.
 */
export class GrowingRoot {
  private constructor(
    private readonly subtrees: { size: number; root: Uint8Array }[],
    private leaves: number,
  ) {}

  static empty(): GrowingRoot {
    return new GrowingRoot([], 0);
  }

  /** As `toText` wrote it. @returns undefined for any other text */
  static parse(text: string): GrowingRoot | undefined {
    const match = /^(\d{1,15}):((?:[0-9a-f]{64})*)$/.exec(text);
    if (!match) return undefined;
    const sizes = sizesOf(Number(match[1]));
    const roots = match[2]!.match(/.{64}/g) ?? [];
    if (roots.length !== sizes.length) return undefined;
    const subtrees = sizes.map((size, place) => ({ size, root: Buffer.from(roots[place]!, 'hex') }));
    return new GrowingRoot(subtrees, Number(match[1]));
  }

  get count(): number {
    return this.leaves;
  }

  /** @param digest of an item, 32 bytes */
  add(digest: Uint8Array): void {
    let root = leafHash(digest);
    let size = 1;
    for (let last = this.subtrees.at(-1); last?.size === size; last = this.subtrees.at(-1)) {
      root = nodeHash(last.root, root);
      size *= 2;
      this.subtrees.pop();
    }
    this.subtrees.push({ size, root });
    this.leaves += 1;
  }

  /** 64 hexadecimal digits. */
  get root(): string {
    const [last, ...rest] = this.subtrees.toReversed();
    if (!last) return Buffer.from(emptyRoot()).toString('hex');
    return Buffer.from(rest.reduce((right, { root }) => nodeHash(root, right), last.root)).toString('hex');
  }

  toText(): string {
    return `${this.leaves}:${this.subtrees.map(({ root }) => Buffer.from(root).toString('hex')).join('')}`;
  }
}

/** The powers of two that a number is the sum of, the largest first. */
function sizesOf(count: number): number[] {
  const sizes: number[] = [];
  for (let rest = count, power = 2 ** 52; power >= 1; power /= 2)
    if (rest >= power) {
      sizes.push(power);
      rest -= power;
    }
  return sizes;
}

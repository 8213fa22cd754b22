/** One bar, which several amounts make up. */
export interface Bar {
  label: string;
  amounts: readonly number[];
}

/** The least of 1, 2, 5, 10, 20, 50 … that is not below the amount: where the axis ends. */
export function axisEnd(amount: number): number {
  if (!(amount > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(amount));
  return [1, 2, 5, 10].map((step) => step * power).find((end) => end >= amount)!;
}

const DAY_MS = 86_400_000;

/** Every UTC day from one to another, as `2026-01-31`: days without anything are days of a chart too. */
export function daysBetween(from: string, to: string): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return Array.from({ length: Math.max(0, Math.round((last - first) / DAY_MS) + 1) }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  );
}

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Of the width of a bar, how much stays free next to it. */
const GAP = 0.2;

/** The amounts of a bar one above the other, in a square of 100, of which `end` is the height. */
export function rectanglesOf({ amounts }: Bar, index: number, count: number, end: number): Rectangle[] {
  const width = 100 / count;
  let top = 100;
  return amounts.map((amount) => {
    const height = (amount / end) * 100;
    top -= height;
    return { x: (index + GAP / 2) * width, y: top, width: width * (1 - GAP), height };
  });
}

/** A part of a text that is to be masked, and what stands in its place: `[email]`. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** In order; what overlaps is one, by the name of the first. */
export function mergeMarks(marks: readonly Mark[]): Mark[] {
  const merged: { start: number; end: number; name: string }[] = [];
  for (const mark of marks.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && mark.start < last.end) last.end = Math.max(last.end, mark.end);
    else merged.push({ ...mark });
  }
  return merged;
}

/** The text with each mark as its name in brackets; what overlaps is one. */
export function maskMarks(text: string, marks: readonly Mark[]): string {
  let masked = '';
  let at = 0;
  for (const { start, end, name } of mergeMarks(marks)) {
    masked += `${text.slice(at, start)}[${name}]`;
    at = end;
  }
  return masked + text.slice(at);
}

/** From places in a masked text to those in the text as it was. */
export class MaskedPlaces {
  private readonly shifts: { from: number; to: number; mark: Mark }[] = [];

  constructor(marks: readonly Mark[]) {
    let shift = 0;
    for (const mark of mergeMarks(marks)) {
      const from = mark.start + shift;
      const to = from + mark.name.length + 2;
      this.shifts.push({ from, to, mark });
      shift = to - mark.end;
    }
  }

  /** A part of the masked text, widened so that no mask is cut: where it stands in both. */
  widen(start: number, end: number): { masked: [number, number]; original: [number, number]; marks: Mark[] } {
    const cut = this.shifts.filter(({ from, to }) => from < end && to > start);
    const masked: [number, number] = [Math.min(start, cut[0]?.from ?? start), Math.max(end, cut.at(-1)?.to ?? end)];
    return { masked, original: [this.back(masked[0]), this.back(masked[1])], marks: cut.map(({ mark }) => mark) };
  }

  /** @param place outside of masks */
  private back(place: number): number {
    const before = this.shifts.findLast(({ to }) => to <= place);
    return before ? place - before.to + before.mark.end : place;
  }
}

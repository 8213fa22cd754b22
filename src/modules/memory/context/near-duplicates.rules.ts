/** Words in a row that are compared, and how many such rows a text needs to be compared. */
const ROW = 4;
const MIN_ROWS = 3;
/** What share of the shorter one's rows stands in the other, and how much shorter it may be. */
const SHARED = 0.8;
const MIN_SIZE = 0.5;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

interface SaidText<Of> {
  of: Of;
  rows: number;
}

/**
 * Texts that were said. Another one repeats one of them where most of the shorter of the two stands in the other, word
 * for word, and neither says much more: rows of four words are compared (shingles, Broder 1997), case aside.
 */
export class SaidTexts<Of> {
  private readonly byRow = new Map<string, SaidText<Of>[]>();

  add(of: Of, text: string): void {
    const rows = rowsOf(text);
    const said = { of, rows: rows.size };
    for (const row of rows) {
      const having = this.byRow.get(row);
      if (having) having.push(said);
      else this.byRow.set(row, [said]);
    }
  }

  /** What the text repeats: the first of those that count. */
  find(text: string, counts: (of: Of) => boolean = () => true): Of | undefined {
    const rows = rowsOf(text);
    if (rows.size < MIN_ROWS) return undefined;
    const shared = new Map<SaidText<Of>, number>();
    for (const row of rows) for (const said of this.byRow.get(row) ?? []) shared.set(said, (shared.get(said) ?? 0) + 1);
    for (const [said, count] of shared) {
      const [few, many] = said.rows < rows.size ? [said.rows, rows.size] : [rows.size, said.rows];
      if (few >= MIN_ROWS && few >= many * MIN_SIZE && count >= few * SHARED && counts(said.of)) return said.of;
    }
    return undefined;
  }
}

function rowsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(WORD) ?? [];
  return new Set(words.slice(ROW - 1).map((_, i) => words.slice(i, i + ROW).join(' ')));
}

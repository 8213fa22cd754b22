/** A Markdown table whose columns line up; the first column is left-aligned, the others right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, i) => Math.max(3, cell.length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, i) => (i === 0 ? (cells[i] ?? '').padEnd(width) : (cells[i] ?? '').padStart(width))).join(' | ')} |`;
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return `${[line(head), line(rule), ...rows.map(line)].join('\n')}\n`;
}

/** Whole numbers with thousands separated, smaller ones with the digits asked for. */
export function figure(value: number | undefined, digits = 0): string {
  if (value === undefined || Number.isNaN(value)) return '-';
  return value.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Progress and remarks go to stderr: stdout is for the result. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

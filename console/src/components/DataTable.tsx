import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type CSSProperties, type ReactNode } from 'react';
import { TableRow, UnreadRow } from './TableRow.tsx';
import { useRowEvents } from './use-row-events.ts';

export interface Column<Row> {
  name: string;
  /** A width of CSS grid: `8rem`, `minmax(12rem, 2fr)`. */
  width: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
}

export interface DataTableProps<Row> {
  /** What the rows are: read out with their number. */
  label: string;
  /** The same array while nothing in it changes: rows are rendered again with another one. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Where Enter or a click on a row leads, as an address of the console. */
  linkOf?: (row: Row) => string;
  onOpen?: (row: Row) => void;
  /** The row that is shown next to the table. */
  selectedKey?: string;
  /** Called with each row that gets the focus. */
  onFocusRow?: (row: Row) => void;
  /** Keys of a focused row, as `a`; returns whether it did something. */
  onKey?: (key: string, row: Row) => boolean;
  /** Loads the next page; absent when all is loaded. */
  loadMore?: (() => unknown) | undefined;
  isLoadingMore?: boolean;
  /** How many rows come before the first of `rows`, read once and not kept. */
  rowsBefore?: number;
  /** Loads the page before the first of `rows`. */
  loadBefore?: (() => unknown) | undefined;
  /** How many rows there are on the server, where it says so. */
  total?: number;
  height?: string;
}

const ROW_PX = 40;
const OVERSCAN = 12;

/**
 * Rows in columns, of which only those in view are in the document: one stop of the tab key, arrows, j and k, Home
 * and End move the focus, Enter opens (WAI-ARIA grid pattern).
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, rowsBefore = 0, selectedKey, linkOf, onOpen, loadMore, total, height } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const count = rowsBefore + rows.length;
  const stop = Math.min(focused, count - 1);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    // The row with the focus stays in the document, so that the keyboard is not lost by scrolling.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), stop])].sort((a, b) => a - b),
  });
  useLoading(props, virtual.range);
  const events = useRowEvents({ ...props, rowsBefore, scroller, setFocused, scrollTo: virtual.scrollToIndex });
  const template = columns.map(({ width }) => width).join(' ');
  return (
    <div className="table-frame">
      <div
        ref={scroller}
        className="table"
        role="grid"
        aria-label={label}
        aria-rowcount={loadMore ? (total === undefined ? -1 : total + 1) : count + 1}
        style={{ '--columns': template, ...(height && { maxHeight: height }) } as CSSProperties}
        {...events}
      >
        <div className="table-head" role="row" aria-rowindex={1}>
          {columns.map(({ name, isNumber }) => (
            <span key={name} role="columnheader" className={isNumber ? 'numeric' : ''}>
              {name}
            </span>
          ))}
        </div>
        <div role="presentation" className="table-body" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index - rowsBefore];
            const place = { index, start, isStop: index === stop };
            if (row === undefined) return <UnreadRow key={index} {...place} columns={columns.length} />;
            const key = rowKey(row);
            const isSelected = selectedKey === undefined ? undefined : selectedKey === key;
            return (
              <TableRow key={key} {...place} {...{ row, columns, isSelected }} opens={Boolean(linkOf ?? onOpen)} />
            );
          })}
        </div>
      </div>
      <p className="table-foot quiet number" aria-live="polite">
        {footOf(props)}
      </p>
    </div>
  );
}

/** Asks for what comes next, or before, when what is shown comes near to it. */
function useLoading<Row>(
  { rows, rowsBefore = 0, loadMore, loadBefore, isLoadingMore = false }: DataTableProps<Row>,
  range: { startIndex: number; endIndex: number } | null,
) {
  const { startIndex = 0, endIndex = 0 } = range ?? {};
  const isAtStart = rowsBefore > 0 && startIndex < rowsBefore + OVERSCAN;
  const isAtEnd = endIndex >= rowsBefore + rows.length - 2 * OVERSCAN;
  useEffect(() => {
    if (isLoadingMore) return;
    if (isAtStart) loadBefore?.();
    else if (isAtEnd) loadMore?.();
  }, [isAtStart, isAtEnd, rows.length, rowsBefore, loadMore, loadBefore, isLoadingMore]);
}

function footOf<Row>({ rows, rowsBefore = 0, total, loadMore, isLoadingMore }: DataTableProps<Row>): string {
  const read = rowsBefore + rows.length;
  const count = read.toLocaleString();
  if (isLoadingMore) return `${count} loaded, loading more`;
  if (total !== undefined && total > read) return `${count} of ${total.toLocaleString()} loaded`;
  return loadMore ? `${count} loaded, more as you scroll` : `${count} in all`;
}

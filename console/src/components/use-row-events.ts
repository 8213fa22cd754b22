import { useLayoutEffect, useRef, type KeyboardEvent, type RefObject, type SyntheticEvent } from 'react';
import { useLocation } from 'wouter';
import type { DataTableProps } from './DataTable.tsx';

interface RowEventsOf<Row> extends Pick<DataTableProps<Row>, 'rows' | 'linkOf' | 'onOpen' | 'onFocusRow' | 'onKey'> {
  rowsBefore: number;
  scroller: RefObject<HTMLDivElement | null>;
  setFocused: (index: number) => void;
  scrollTo: (index: number) => void;
}

const MOVES: Record<string, (index: number, count: number) => number> = {
  ArrowDown: (index) => index + 1,
  j: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  k: (index) => index - 1,
  PageDown: (index) => index + 15,
  PageUp: (index) => index - 15,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** The index of the row that an event came from; negative of the headings. */
function indexOf(target: EventTarget): number {
  const row = (target as Element).closest('[role="row"]');
  return row ? Number(row.getAttribute('aria-rowindex')) - 2 : -1;
}

/** What rows do, heard once at the table, so that no row has to be rendered again with another callback. */
export function useRowEvents<Row>(table: RowEventsOf<Row>) {
  const { rows, rowsBefore, setFocused, linkOf, onOpen, onKey, onFocusRow } = table;
  const [, navigate] = useLocation();
  const focusRow = useFocusRow(table);
  const rowAt = (event: SyntheticEvent) => rows[indexOf(event.target) - rowsBefore];
  const open = (row: Row) => (onOpen ? onOpen(row) : linkOf && navigate(linkOf(row)));
  return {
    onKeyDown: (event: KeyboardEvent) => {
      const { target, key } = event;
      if ((target as Element).role !== 'row' || event.metaKey || event.ctrlKey || event.altKey) return;
      const row = rowAt(event);
      const move = MOVES[key];
      if (move) focusRow(move(indexOf(target), rowsBefore + rows.length));
      else if (row === undefined) return;
      else if (key === 'Enter') open(row);
      else if (!onKey?.(key, row)) return;
      event.preventDefault();
    },
    onClick: (event: SyntheticEvent) => {
      const row = rowAt(event);
      if (row !== undefined && !(event.target as Element).closest('button, a, input')) open(row);
    },
    onFocus: (event: SyntheticEvent) => {
      const index = indexOf(event.target);
      if (index < 0) return;
      setFocused(index);
      const row = rowAt(event);
      if (row !== undefined) onFocusRow?.(row);
    },
  };
}

/** Moves the focus to a row, which is in the document once it is the one of the tab key. */
function useFocusRow<Row>({ rows, rowsBefore, scroller, setFocused, scrollTo }: RowEventsOf<Row>) {
  const wanted = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[aria-rowindex="${wanted.current + 2}"]`);
    wanted.current = undefined;
    row?.focus({ preventScroll: true });
  });
  return (index: number) => {
    wanted.current = Math.max(0, Math.min(rowsBefore + rows.length - 1, index));
    setFocused(wanted.current);
    scrollTo(wanted.current);
  };
}

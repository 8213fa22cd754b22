import { memo } from 'react';
import type { Column } from './DataTable.tsx';

interface Place {
  index: number;
  /** Pixels from the top of the table. */
  start: number;
  /** The one row that the tab key stops at. */
  isStop: boolean;
}

interface TableRowProps<Row> extends Place {
  row: Row;
  columns: readonly Column<Row>[];
  isSelected: boolean | undefined;
  opens: boolean;
}

const attributesOf = ({ index, start, isStop }: Place) => ({
  role: 'row',
  'aria-rowindex': index + 2,
  style: { transform: `translateY(${start}px)` },
  tabIndex: isStop ? 0 : -1,
});

function Row<Row>({ row, columns, isSelected, opens, ...place }: TableRowProps<Row>) {
  return (
    <div {...attributesOf(place)} aria-selected={isSelected} className={`table-row ${opens ? 'opens' : ''}`}>
      {columns.map(({ name, cell, isNumber }) => (
        <span key={name} role="gridcell" className={isNumber ? 'numeric number' : ''}>
          {cell(row)}
        </span>
      ))}
    </div>
  );
}

/** One row. Scrolling renders no row again that was in the document before: it has no callback of the table. */
export const TableRow = memo(Row) as typeof Row;

/** In the place of a row that is asked for again. */
export function UnreadRow({ columns, ...place }: Place & { columns: number }) {
  return (
    <div {...attributesOf(place)} className="table-row" aria-busy="true">
      {Array.from({ length: columns }, (_, index) => (
        <span key={index} role="gridcell" className="unread" />
      ))}
    </div>
  );
}

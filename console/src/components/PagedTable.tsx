import { useMemo, type ReactNode } from 'react';
import type { PageOf, usePages } from '../client/queries.ts';
import { DataTable, type DataTableProps } from './DataTable.tsx';
import { Answer } from './states.tsx';

interface PagedTableProps<Part extends object, Row> extends Omit<
  DataTableProps<Row>,
  'rows' | 'loadMore' | 'isLoadingMore' | 'rowsBefore' | 'loadBefore' | 'total'
> {
  pages: ReturnType<typeof usePages<Part>>;
  /** The same function while what it does is the same. */
  rowsOf: (part: Part) => readonly Row[];
  totalOf?: (part: Part) => number | undefined;
  empty: ReactNode;
}

/** A list that goes on by its cursor: loading, failure, nothing, or the rows of the pages that are kept. */
export function PagedTable<Part extends object, Row>(props: PagedTableProps<Part, Row>) {
  return (
    <Answer query={props.pages} rows={6}>
      {(answers) => <Rows {...props} answers={answers} />}
    </Answer>
  );
}

function Rows<Part extends object, Row>({
  pages,
  answers,
  rowsOf,
  totalOf,
  empty,
  ...table
}: PagedTableProps<Part, Row> & { answers: readonly PageOf<Part>[] }) {
  const rows = useMemo(() => answers.flatMap(rowsOf), [answers, rowsOf]);
  if (rows.length === 0) return empty;
  const total = answers[0] && totalOf?.(answers[0]);
  return (
    <DataTable
      {...table}
      rows={rows}
      {...(total !== undefined && { total })}
      rowsBefore={answers[0]?.rowsBefore ?? 0}
      loadMore={pages.hasNextPage ? pages.fetchNextPage : undefined}
      loadBefore={pages.hasPreviousPage ? pages.fetchPreviousPage : undefined}
      isLoadingMore={pages.isFetchingNextPage || pages.isFetchingPreviousPage}
    />
  );
}

import { DataTable, type Column } from '../../components/DataTable.tsx';
import { Time } from '../../components/Time.tsx';
import { KINDS, keyOf, type ReviewItem } from './review-items.ts';

interface QueueTableProps {
  items: readonly ReviewItem[];
  item: ReviewItem;
  setItem: (item: ReviewItem) => void;
  selected: ReadonlySet<string>;
  onSelect: (item: ReviewItem) => void;
}

export function QueueTable({ items, item, setItem, selected, onSelect }: QueueTableProps) {
  const columns: Column<ReviewItem>[] = [
    {
      name: 'Selected',
      width: '4.5rem',
      cell: (one) =>
        one.kind === 'candidate' && (
          <input
            type="checkbox"
            aria-label={`Select ${one.title}`}
            checked={selected.has(keyOf(one))}
            onChange={() => onSelect(one)}
            tabIndex={-1}
          />
        ),
    },
    { name: 'Kind', width: '7.5rem', cell: ({ kind }) => KINDS[kind] },
    { name: 'What', width: 'minmax(12rem, 1fr)', cell: ({ title }) => <span title={title}>{title}</span> },
    { name: 'Waiting', width: '7rem', cell: ({ waiting_since }) => <Time at={waiting_since} /> },
  ];
  return (
    <DataTable
      label="What waits"
      columns={columns}
      rows={items}
      rowKey={keyOf}
      selectedKey={keyOf(item)}
      onFocusRow={setItem}
      onOpen={setItem}
    />
  );
}

import { useState } from 'react';
import { useSwitchedOff } from '../../app/config.ts';
import { useAnswer, usePages } from '../../client/queries.ts';
import { daysBetween } from '../../components/bar-chart.ts';
import { BarChart } from '../../components/BarChart.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { SelectField } from '../../components/fields.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { SwitchedOff } from '../../components/SwitchedOff.tsx';
import { readCost } from '../../generated/daemon/sdk.gen.ts';
import type { CostReport, CostRow } from '../../generated/daemon/types.gen.ts';
import { firstDay, PERIODS } from './periods.ts';

const FLAG = 'SVCD_FEATURE_COST_LENS';
const MOST_DAYS = 200;

/** What models used: by day as a chart, by day and model as a table. */
export function CostPart() {
  const isOff = useSwitchedOff(FLAG) !== undefined;
  const [days, setDays] = useState('30');
  const from = firstDay(days);
  const byDay = useAnswer(
    ['cost', 'by day', from],
    () => readCost({ query: { from, limit: MOST_DAYS, group_by: ['day'] } }),
    { isEnabled: !isOff },
  );
  if (isOff) return <SwitchedOff setting={FLAG} />;
  return (
    <>
      <div className="filters">
        <SelectField label="Period" value={days} onChange={setDays} choices={PERIODS} />
      </div>
      <Answer query={byDay}>{(report) => report.rows.length > 0 && <CostCharts {...report} />}</Answer>
      <CostTable from={from} />
    </>
  );
}

function CostCharts({ from, to, rows, total }: CostReport) {
  const found = new Map(rows.map((row) => [row.day, row]));
  const barsOf = (amountsOf: (row: CostRow | undefined) => number[]) =>
    daysBetween(from, to).map((day) => ({ label: day, amounts: amountsOf(found.get(day)) }));
  return (
    <div className="columns">
      <BarChart
        label="Tokens by day"
        axis="Day"
        series={['In', 'Out']}
        bars={barsOf((row) => [row?.tokens_in ?? 0, row?.tokens_out ?? 0])}
      />
      {total.cost && (
        <BarChart
          label={`Cost by day, ${total.cost.currency}`}
          axis="Day"
          series={['Cost']}
          bars={barsOf((row) => [Number(row?.cost?.amount ?? 0)])}
        />
      )}
    </div>
  );
}

const COLUMNS: Column<CostRow>[] = [
  { name: 'Day', width: '8rem', cell: ({ day }) => day ?? '' },
  { name: 'Model', width: 'minmax(9rem, 2fr)', cell: ({ model }) => model ?? '' },
  { name: 'Events', width: '6rem', isNumber: true, cell: ({ events }) => events.toLocaleString() },
  { name: 'Tokens in', width: '8rem', isNumber: true, cell: ({ tokens_in }) => tokens_in.toLocaleString() },
  { name: 'Tokens out', width: '8rem', isNumber: true, cell: ({ tokens_out }) => tokens_out.toLocaleString() },
  {
    name: 'Cost',
    width: '8rem',
    isNumber: true,
    cell: ({ cost }) => (cost ? `${cost.amount} ${cost.currency}` : 'no price'),
  },
];

function CostTable({ from }: { from: string }) {
  const pages = usePages(['cost', 'by model', from], (cursor) =>
    readCost({
      query: { from, limit: 200, group_by: ['day', 'model'], ...(cursor === undefined ? {} : { cursor }) },
    }),
  );
  return (
    <PagedTable
      label="Usage by day and model"
      pages={pages}
      rowsOf={({ rows }) => rows}
      columns={COLUMNS}
      rowKey={({ day, model }) => `${day} ${model}`}
      height="20rem"
      empty={<Empty title="No usage in this period">POST /v1/cost/report takes what agents used.</Empty>}
    />
  );
}

import { useState } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { daysBetween } from '../../components/bar-chart.ts';
import { BarChart } from '../../components/BarChart.tsx';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { useDraft } from '../../components/drafts.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { NeedsSession } from '../../components/NeedsSession.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { WithRight } from '../../components/WithRight.tsx';
import { readDashboard } from '../../generated/api/sdk.gen.ts';
import type { EconomyDashboard } from '../../generated/api/types.gen.ts';
import { PERIODS } from './periods.ts';

const NOBODY = { agent: '' };

/** The tenant API knows agents by any name, and lists none: who looks names one. */
export function CreditsPart() {
  return (
    <NeedsSession what="Credits">
      <CreditsOfAgent />
    </NeedsSession>
  );
}

function CreditsOfAgent() {
  return (
    <WithRight right="write" what="Credits">
      <ChosenAgent />
    </WithRight>
  );
}

function ChosenAgent() {
  const { draft, change } = useDraft('agent whose credits are shown', NOBODY);
  const [agent, setAgent] = useState(draft.agent.trim());
  const [days, setDays] = useState('30');
  const typed = draft.agent.trim();
  return (
    <>
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setAgent(typed);
        }}
      >
        <TextField label="Agent" value={draft.agent} onChange={(name) => change({ agent: name })} isMono />
        <SelectField label="Spent within" value={days} onChange={setDays} choices={PERIODS} />
        <Button type="submit" isDisabled={typed === ''}>
          Show
        </Button>
      </form>
      {agent && <Credits agent={agent} days={Number(days)} />}
    </>
  );
}

function Credits({ agent, days }: { agent: string; days: number }) {
  const query = useAnswer(['credits', agent, days], () => readDashboard({ path: { agentId: agent }, query: { days } }));
  return (
    <Answer query={query} rows={6}>
      {(dashboard) => (
        <div className="columns">
          <Balance {...dashboard} />
          <Spending {...dashboard} />
        </div>
      )}
    </Answer>
  );
}

function Balance({ balance, breakdown, escrow, spend }: EconomyDashboard) {
  return (
    <div className="stack">
      <p className="figure">
        <span className="quiet">Can be spent now</span>
        <strong>{balance.toLocaleString()}</strong>
      </p>
      <Details
        items={[
          ['Its own', breakdown.own.toLocaleString()],
          ['Allowance of the month', breakdown.allowance.toLocaleString()],
          ['Earned by the tenant', breakdown.earnings.toLocaleString()],
          ['In escrow', escrow.toLocaleString()],
          ['Spent in the period', spend.spent.toLocaleString()],
          ['Given back in the period', spend.returned.toLocaleString()],
          ...spend.byReason.map(({ reason, spent }) => [`For ${reason}`, spent.toLocaleString()] as const),
        ]}
      />
    </div>
  );
}

function Spending({ from, to, spend }: EconomyDashboard) {
  if (spend.byDay.length === 0) return <Empty title="Nothing was spent in this period" />;
  const spentOn = (day: string) =>
    spend.byDay.filter((one) => one.day === day).reduce((sum, { spent }) => sum + spent, 0);
  return (
    <BarChart
      label="Credits spent by day"
      axis="Day"
      series={['Credits']}
      bars={daysBetween(from, to).map((day) => ({ label: day, amounts: [spentOn(day)] }))}
    />
  );
}

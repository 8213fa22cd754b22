import { useState } from 'react';
import { Link } from 'wouter';
import { useAnswer } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { CheckboxField, RangeField, TextField } from '../../components/fields.tsx';
import { exportFacts } from '../../generated/daemon/sdk.gen.ts';
import { fromLocalInput, localInput, type FactFilter } from './fact-filter.ts';

interface FiltersProps {
  filter: FactFilter;
  change: (part: Partial<FactFilter>) => void;
}

export function FactFilters({ filter, change }: FiltersProps) {
  return (
    <div className="stack" role="search" aria-label="Facts">
      <div className="columns">
        <TextField
          label="Entity begins with"
          value={filter.prefix}
          onChange={(prefix) => change({ prefix })}
          type="search"
          isMono
        />
        <TextField
          label="Text"
          value={filter.text}
          onChange={(text) => change({ text })}
          type="search"
          hint={
            <>
              As it stands, in all facts. <Link href={searchFor(filter.text)}>Search</Link> is faster among many, and
              ranks them by their words.
            </>
          }
        />
      </div>
      <div className="row">
        <CheckboxField
          label="Replaced versions too"
          isSelected={filter.includeSuperseded}
          onChange={(includeSuperseded) => change({ includeSuperseded })}
        />
        <CheckboxField
          label="Reserved entities too"
          isSelected={filter.includeReserved}
          onChange={(includeReserved) => change({ includeReserved })}
        />
      </div>
      <AsOf filter={filter} change={change} />
    </div>
  );
}

const searchFor = (text: string) => (text.trim() ? `/search/${encodeURIComponent(text.trim())}` : '/search');

const STEPS = 1_000;

/** What was known at a moment: by a range from the oldest fact until now, or exactly. */
function AsOf({ filter: { asOf }, change }: FiltersProps) {
  const [openedAt] = useState(() => Date.now());
  // The export is in the order in which facts were stored, so that its first is the oldest.
  const first = useAnswer(['facts', 'oldest'], () => exportFacts({ query: { limit: 1 } }));
  const stored = first.data?.facts[0]?.stored_at;
  const oldest = Math.min(stored ? new Date(stored).getTime() : openedAt - 86_400_000, openedAt - STEPS);
  const span = openedAt - oldest;
  const at = asOf ? Number(asOf) : openedAt;
  const set = (moment: number) => change({ asOf: moment >= openedAt ? '' : String(Math.round(moment)) });
  return (
    <div className="columns">
      <RangeField
        label="Known at"
        min={0}
        max={STEPS}
        value={Math.round(((at - oldest) / span) * STEPS)}
        onChange={(step) => set(oldest + (step / STEPS) * span)}
        shown={asOf ? new Date(at).toLocaleString() : 'now'}
      />
      <TextField
        label="Known exactly at"
        type="datetime-local"
        value={asOf ? localInput(at) : ''}
        onChange={(text) => {
          const moment = fromLocalInput(text);
          change({ asOf: moment === undefined ? '' : String(moment) });
        }}
      />
      {asOf && <Button onPress={() => change({ asOf: '' })}>Back to now</Button>}
    </div>
  );
}

import { useState, type FormEvent } from 'react';
import { useLocation, useParams } from 'wouter';
import { decoded } from '../../client/parameters.ts';
import { Button } from '../../components/Button.tsx';
import { useDraft } from '../../components/drafts.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { NeedsSession } from '../../components/NeedsSession.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Empty } from '../../components/states.tsx';
import { FoundFacts } from './FoundFacts.tsx';
import { FoundPassages } from './FoundPassages.tsx';

export type Lane = 'light' | 'verified' | 'audit';
const LANES = ['light', 'verified', 'audit'].map((value) => ({ value, label: value }));
/** Of a query: retrieval rejects a shorter one. */
const FEWEST_CHARACTERS = 2;
const LIGHT: { lane: Lane } = { lane: 'light' };

const isLongEnough = (query: string): boolean => query.trim().length >= FEWEST_CHARACTERS;

/** Passages of documents and facts for one query, next to each other. */
export default function SearchScreen() {
  const query = decoded(useParams<{ query?: string }>().query);
  const [typed, setTyped] = useState(query);
  const { draft, change } = useDraft<{ lane: Lane }>('search lane', LIGHT);
  const [, navigate] = useLocation();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isLongEnough(typed)) navigate(`/search/${encodeURIComponent(typed.trim())}`);
  };
  return (
    <Page title="Search" description="Passages of documents and facts, with how each was ranked.">
      <form className="filters search-form" role="search" aria-label="Documents and facts" onSubmit={submit}>
        <TextField label="What to look for" type="search" value={typed} onChange={setTyped} />
        <SelectField
          label="Lane (how much a retrieval proves)"
          value={draft.lane}
          choices={LANES}
          onChange={(lane) => change({ lane: lane as Lane })}
        />
        <Button look="primary" type="submit" isDisabled={!isLongEnough(typed)}>
          Search
        </Button>
      </form>
      <h2 className="visually-hidden">Results</h2>
      {!isLongEnough(query) ? (
        <Empty title="Nothing searched yet">
          Type what you look for, words or a question: at least {FEWEST_CHARACTERS} characters.
        </Empty>
      ) : (
        <div className="columns">
          <Section title="Documents">
            <NeedsSession what="Documents">
              <FoundPassages query={query} lane={draft.lane} />
            </NeedsSession>
          </Section>
          <Section title="Facts">
            <FoundFacts query={query} />
          </Section>
        </div>
      )}
    </Page>
  );
}

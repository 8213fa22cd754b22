import { useEffect, useMemo, useState } from 'react';
import { useLiveEvents } from '../../client/live.ts';
import { usePages } from '../../client/queries.ts';
import { auditSession } from '../../generated/daemon/sdk.gen.ts';
import { isSwitchedOff, stepsOf } from './step-tree.ts';

/** As many as the daemon gives at once. */
const PAGE = 200;
/** Sessions of more pages are read again when asked to, not with each event. */
const FEW_PAGES = 5;

/** All steps of a session; its pages are read one after another while the first are shown. */
export function useSteps(id: string) {
  const pages = usePages(['session-steps', id], (cursor) =>
    auditSession({ path: { id }, query: { limit: PAGE, ...(cursor ? { cursor } : {}) } }),
  );
  const { data, hasNextPage, isFetching, isError, fetchNextPage, refetch } = pages;
  // After every rendering: on a busy machine a page may come before the request for it was rendered.
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  });

  const { newer, take } = useNewerEvents(id);
  const readAgain = () => {
    take();
    void refetch();
  };
  // A session that was not there, or could not be read, is asked for again once something happened in it.
  const isDue = newer > 0 && (data?.length ?? 0) <= FEW_PAGES && !isFetching;
  useEffect(() => {
    if (isDue) readAgain();
  });
  const steps = useMemo(() => stepsOf(data ?? []), [data]);
  const first = data?.[0];
  return { pages, steps, newer, readAgain, off: first && isSwitchedOff(first) ? first : undefined };
}

/** How many events of the session came after those that were taken. */
function useNewerEvents(id: string): { newer: number; take: () => void } {
  const ids = useLiveEvents()
    .filter(({ data }) => data['sessionId'] === id)
    .map((event) => event.id);
  const [taken, setTaken] = useState(ids[0]);
  const index = taken === undefined ? -1 : ids.indexOf(taken);
  return { newer: index === -1 ? ids.length : index, take: () => setTaken(ids[0]) };
}

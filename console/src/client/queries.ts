import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { answerOf } from './answer.ts';
import type { RequestFailure } from './request-failure.ts';

type Asked<T> = Promise<{ data?: T; error?: unknown; response?: Response }>;

interface Options {
  isEnabled?: boolean;
  /** Repeats while the page is visible. */
  everyMs?: number;
}

/**
 * One answer of a server.
 *
 * @param key what is asked; its first part is the name of the resource, by which live events make it stale
 */
export function useAnswer<T>(
  key: readonly unknown[],
  ask: () => Asked<T>,
  { isEnabled = true, everyMs }: Options = {},
): UseQueryResult<NonNullable<T>, RequestFailure> {
  return useQuery<NonNullable<T>, RequestFailure>({
    queryKey: key,
    queryFn: () => answerOf(ask()),
    enabled: isEnabled,
    refetchInterval: everyMs ?? false,
    placeholderData: keepPreviousData,
  });
}

/** Where a page begins: one leads back to the first, so that what is not kept can be asked for again. */
interface Place {
  cursor: string | undefined;
  rowsBefore: number;
  previous: Place | undefined;
}

const START: Place = { cursor: undefined, rowsBefore: 0, previous: undefined };
/** Of a list that may have millions of rows. */
const KEPT_PAGES = 10;

/** A page, and how many rows come before it. */
export type PageOf<T> = T & { rowsBefore: number };

/**
 * A list that goes on by its cursor: all pages read so far.
 *
 * @param options with `rowsIn`, how many rows a page has, only those around the last one read are kept
 */
export function usePages<T extends object>(
  key: readonly unknown[],
  ask: (cursor: string | undefined) => Asked<T>,
  { isEnabled = true, everyMs, rowsIn }: Options & { rowsIn?: (page: T) => number } = {},
) {
  return useInfiniteQuery<PageOf<T>, RequestFailure, PageOf<T>[], readonly unknown[], Place>({
    queryKey: key,
    queryFn: async ({ pageParam: { cursor, rowsBefore } }) => ({ ...(await answerOf<T>(ask(cursor))), rowsBefore }),
    initialPageParam: START,
    getNextPageParam: (page, _, place) => {
      const { next_cursor: cursor } = page as { next_cursor?: string | null };
      if (!cursor) return undefined;
      return { cursor, rowsBefore: place.rowsBefore + (rowsIn?.(page) ?? 0), previous: place };
    },
    getPreviousPageParam: (_, __, place) => place.previous,
    ...(rowsIn && { maxPages: KEPT_PAGES }),
    select: ({ pages }) => pages,
    enabled: isEnabled,
    refetchInterval: everyMs ?? false,
    placeholderData: keepPreviousData,
  });
}

/**
 * Something that changes the server's state; afterwards all that is shown of the named resources is asked for again.
 * Whoever asked says first how it went, and leaves what is gone.
 */
export function useChange<Input, T>(change: (input: Input) => Asked<T>, resources: readonly string[]) {
  const queries = useQueryClient();
  const refresh = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => resources.includes(queryKey[0] as string) });
  return useMutation<NonNullable<T>, RequestFailure, Input>({
    mutationFn: (input) => answerOf(change(input)),
    onSettled: () => void setTimeout(() => void refresh()),
  });
}

/** Whether what a change removes is still there to be asked for: neither gone, nor about to be. */
export const isStillThere = ({ status }: { status: 'idle' | 'pending' | 'error' | 'success' }): boolean =>
  status === 'idle' || status === 'error';

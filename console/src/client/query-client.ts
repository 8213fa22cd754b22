import { QueryClient } from '@tanstack/react-query';
import { LONGEST_WAIT_SECONDS, RequestFailure } from './request-failure.ts';

const ATTEMPTS = 3;
const FIRST_DELAY_MS = 1_000;

/** Waits as long as the server asks, else twice as long each time. */
function delayBefore(attempt: number, error: Error): number {
  const asked = error instanceof RequestFailure ? error.retryAfterSeconds : undefined;
  return Math.min(asked === undefined ? FIRST_DELAY_MS * 2 ** attempt : asked * 1_000, LONGEST_WAIT_SECONDS * 1_000);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 60_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => error instanceof RequestFailure && error.isTransient && failures < ATTEMPTS,
      retryDelay: delayBefore,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

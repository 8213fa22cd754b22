import type { RequestFailure } from './request-failure.ts';

/** What a refusal says of one field of the body that was sent. */
export function fieldError(failure: RequestFailure | null, field: string): string | undefined {
  const issue = failure?.problem.issues?.find(({ path, field: name }) => (path ?? name) === `body.${field}`);
  return issue?.message;
}

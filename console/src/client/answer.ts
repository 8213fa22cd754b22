import { failureOf } from './request-failure.ts';

interface Result<T> {
  data?: T;
  error?: unknown;
  response?: Response;
}

/** The body of an answer. @throws RequestFailure */
export async function answerOf<T>(asked: Promise<Result<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await asked;
  if (response?.ok && error === undefined) return data as NonNullable<T>;
  throw failureOf(error, response);
}

/** One difference between two manifests. */
export interface Drift {
  /** What became of what: `operation.removed`, `request.member_required`. */
  change: string;
  /** `POST /v1/facts`, with the member after it: `POST /v1/facts body.entity`. */
  where: string;
  /** Whether a client made for the older one may fail. */
  breaking: boolean;
  detail: string;
}

/** JSON of an OpenAPI document, of which nothing is certain. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface FactFilter {
  prefix: string;
  text: string;
  includeSuperseded: boolean;
  includeReserved: boolean;
  /** Unix milliseconds as text; empty: now. */
  asOf: string;
}

export const NO_FILTER: FactFilter = {
  prefix: '',
  text: '',
  includeSuperseded: false,
  includeReserved: false,
  asOf: '',
};

export const isFiltered = ({ prefix, text, asOf }: FactFilter): boolean => prefix !== '' || text !== '' || asOf !== '';

/** The parameters of GET /v1/facts/list. */
export function queryOf(filter: FactFilter, cursor: string | undefined) {
  return {
    limit: 100,
    ...(cursor === undefined ? {} : { cursor }),
    ...(filter.prefix ? { entity_prefix: filter.prefix } : {}),
    ...(filter.text ? { q: filter.text } : {}),
    // The server lists replaced versions unless it is asked not to.
    include_superseded: filter.includeSuperseded,
    ...(filter.includeReserved ? { include_reserved: true } : {}),
    ...(filter.asOf ? { as_of_unix_ms: Number(filter.asOf) } : {}),
  };
}

/** A moment as a field of type datetime-local wants it: in the reader's zone, to the second. */
export function localInput(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** @returns undefined for what is no moment */
export function fromLocalInput(text: string): number | undefined {
  const at = new Date(text).getTime();
  return Number.isNaN(at) ? undefined : at;
}

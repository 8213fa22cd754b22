export const SEVERITIES = ['info', 'warn', 'fail'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const VERDICTS = ['ok', 'warn', 'fail'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a finding rests on: a thing by its kind and its id there, and what is known of it. */
export interface Evidence {
  kind: string;
  ref: string;
  detail: string;
}

/** One thing that a look of the workbench found. The id is that of the rule that found it. */
export interface Finding {
  id: string;
  severity: Severity;
  subject: string;
  evidence: Evidence[];
  fix: string;
}

/** What every answer of the workbench ends with (D70). */
export interface Judgement {
  findings: Finding[];
  summary: string;
  verdict: Verdict;
}

/** What a fact of a project is about, by the place that it has in a storybook. */
export type Topic = 'decisions' | 'risks' | 'questions' | 'people' | 'other';

/** A fact of a project under its name there. */
export interface StatedFact {
  factId: string;
  entity: string;
  key: string;
  value: string;
  /** Whether the value is only its beginning. */
  isCut: boolean;
  name: string;
  topic: Topic;
  actor: string;
  confidence: number;
  version: number;
  storedAt: Date;
  receiptId: string | null;
}

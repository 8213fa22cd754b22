import type { AnchorKind, ClaimNow } from '../dossiers/dossiers.types.js';
import type { StatedFact } from '../dossiers/project-facts.types.js';

/** In the order in which they stand. Their ids do not change. */
export const SECTION_IDS = [
  'overview',
  'people',
  'decisions',
  'timeline',
  'work',
  'risks',
  'open-questions',
  'evidence',
] as const;
export type SectionId = (typeof SECTION_IDS)[number];

/** What a statement rests on. */
export interface StatementAnchor {
  kind: AnchorKind;
  id: string;
}

/** Of one section at most; of a timeline the newest. Of each kind of row one more is read. */
export const MAX_STATEMENTS = 500;

/** A sentence that states something. */
export interface Statement {
  /** Stays the same while what it is about changes: by it two storybooks are compared. */
  id: string;
  /** The sentence in pieces: words of ours and, in every second place, what others wrote. */
  parts: string[];
  anchors: StatementAnchor[];
  /** A text of several lines that belongs to it, as it was written. */
  block?: string;
}

export interface Section {
  id: SectionId;
  title: string;
  statements: Statement[];
  /** Whether there was more than it holds. */
  cut: boolean;
}

export interface StorybookStats {
  statements: number;
  /** Different things that it rests on, by kind. */
  facts: number;
  layers: number;
  work: number;
  receipts: number;
  chunks: number;
}

/** A storybook before it is written down. */
export interface Storybook {
  title: string;
  sections: Section[];
}

/** What is known of a project, each list in an order that its rows alone decide. Times are those of the rows. */
export interface StorybookSources {
  project: StatedProject;
  people: StatedPerson[];
  planes: StatedPlane[];
  repos: StatedRepo[];
  layers: StatedLayer[];
  facts: StatedFact[];
  work: StatedWork[];
  moves: StatedMove[];
  gates: StatedGate[];
  dossiers: StatedDossier[];
}

/** A row with the receipts of what made it as it is. */
interface Receipted {
  receipts: string[];
}

export interface StatedProject extends Receipted {
  id: string;
  name: string;
  planningTarget: string | null;
  defaultPassport: string | null;
  workingTenants: string[];
  isDefault: boolean;
  archived: boolean;
}

export interface StatedPerson extends Receipted {
  passport: string;
  role: string | null;
  /** Null: of the project itself. */
  planeId: string | null;
}

export interface StatedPlane extends Receipted {
  id: string;
  name: string | null;
  description: string | null;
}

export interface StatedRepo extends Receipted {
  repo: string;
  planeId: string | null;
  role: string | null;
}

export interface StatedLayer {
  factId: string;
  name: string;
  planeId: string | null;
  version: number;
  /** Its beginning alone, where it is long. */
  content: string;
  isCut: boolean;
  /** `blake3:<hex>` of the whole. */
  hash: string;
  storedAt: Date;
  receiptId: string | null;
}

export interface StatedWork {
  workId: string;
  title: string;
  state: string;
  priority: number;
  assignee: string | null;
  blockerKind: string | null;
  blockerReason: string | null;
  openBlockers: number;
  version: number;
}

export interface StatedMove {
  workId: string;
  title: string;
  version: number;
  from: string | null;
  to: string;
  passport: string;
  receiptId: string;
  at: Date;
}

export interface StatedGate {
  actionId: string;
  workId: string;
  title: string;
  to: string | null;
  status: string;
  requestedBy: string;
  requestedAt: Date;
  expiresAt: Date;
  decidedBy: string | null;
  decidedAt: Date | null;
  reason: string | null;
  requestReceipt: string;
  decisionReceipt: string | null;
}

export interface StatedDossier {
  dossierId: string;
  agentPassport: string;
  receiptId: string;
  claims: ClaimNow[];
  openQuestions: string[];
}

export const STORYBOOK_FORMATS = ['json', 'markdown', 'html', 'zip'] as const;
export type StorybookFormat = (typeof STORYBOOK_FORMATS)[number];

/** What is sent in place of JSON. */
export interface SentStorybook {
  contentType: string;
  fileName: string;
  bytes: Uint8Array;
}

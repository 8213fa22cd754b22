import { Injectable } from '@nestjs/common';
import { DEFAULT_LANGUAGE, type Language } from '../../../search/languages.js';
import { CorpusLanguageFixed } from './ingest.problems.js';
import { documentKey, newestOf, planVersions, statedLanguages } from './ingest.rules.js';
import { IngestStore } from './ingest.store.js';
import type { AcceptedSubmission, PlannedVersion, Submission } from './ingest.types.js';

/** Counts the versions of documents, in the open unit of work. */
@Injectable()
export class VersionsService {
  constructor(private readonly store: IngestStore) {}

  /**
   * Makes corpora and documents that are new, locks the documents until the unit of work ends, and records the versions
   * that are new.
   * @returns in the order of the submissions
   * @throws CorpusLanguageFixed
   */
  async record(submissions: readonly AcceptedSubmission[]): Promise<PlannedVersion[]> {
    await this.settleLanguages(submissions);
    // Nearly every document is new: its row is written once, as if none were known, and not changed afterwards.
    const known = await this.store.lockDocuments(newestOf(planVersions(submissions, new Map())));
    const standing = new Set(known.keys());
    const planned = planVersions(submissions, known);
    const fresh = planned.filter((version) => version.isNew);
    if (fresh.length > 0) this.store.recordVersions(fresh);
    const moved = newestOf(fresh.filter(({ submission }) => standing.has(documentKey(submission))));
    if (moved.length > 0) this.store.moveDocuments(moved);
    return planned;
  }

  private async settleLanguages(submissions: readonly Submission[]): Promise<void> {
    const stated = statedLanguages(submissions);
    const wanted = new Map(
      [...stated].map(([corpus, language]): [string, Language] => [corpus, language ?? DEFAULT_LANGUAGE]),
    );
    const settled = await this.store.recordCorpora(wanted);
    for (const { corpusId, language } of submissions) {
      const fixed = settled.get(corpusId);
      if (language === undefined || fixed === undefined || language === fixed) continue;
      throw new CorpusLanguageFixed(
        { corpusId, language: fixed },
        `Corpus ${corpusId} is ${fixed}. Leave out metadata.language, or send documents in ${language} to another corpus`,
      );
    }
  }
}

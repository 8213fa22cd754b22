import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Answers, Survey, SurveyResponse } from './surveys.types.js';

const COLUMNS = 'response_id, answers, started_at, updated_at, completed_at';
const ONE = 'tenant_id = $1 and survey_id = $2 and survey_version = $3 and principal = $4';

/** Responses to surveys: one a principal and version. */
@Injectable()
export class SurveysStore {
  constructor(private readonly tenancy: Tenancy) {}

  async find(survey: Survey, principal: string): Promise<SurveyResponse | undefined> {
    const [row] = await this.tenancy.query<ResponseRow>(
      `select ${COLUMNS} from survey_response where ${ONE}`,
      this.keyOf(survey, principal),
    );
    return row && responseOf(row);
  }

  /** The principal's response, made where there is none; no other changes it before the unit of work ends. */
  async hold(survey: Survey, principal: string): Promise<SurveyResponse> {
    const key = this.keyOf(survey, principal);
    await this.tenancy.query(
      `insert into survey_response (tenant_id, survey_id, survey_version, principal, response_id) values ($1, $2, $3, $4, $5) on conflict do nothing`,
      [...key, uuid()],
    );
    const [row] = await this.tenancy.query<ResponseRow>(
      `select ${COLUMNS} from survey_response where ${ONE} for update`,
      key,
    );
    return responseOf(row!);
  }

  /** Keeps the answers of a response that is held, and completes it where asked to. */
  async keep(
    survey: Survey,
    principal: string,
    kept: { answers: Answers; complete: boolean },
  ): Promise<SurveyResponse> {
    const [row] = await this.tenancy.query<ResponseRow>(
      `update survey_response set answers = $5, updated_at = now(), completed_at = case when $6 then now() end where ${ONE} returning ${COLUMNS}`,
      [...this.keyOf(survey, principal), JSON.stringify(kept.answers), kept.complete],
    );
    return responseOf(row!);
  }

  private keyOf({ surveyId, version }: Survey, principal: string): unknown[] {
    return [this.tenancy.tenant, surveyId, version, principal];
  }
}

interface ResponseRow {
  response_id: string;
  answers: Answers;
  started_at: Date;
  updated_at: Date;
  completed_at: Date | null;
}

const responseOf = (row: ResponseRow): SurveyResponse => ({
  responseId: row.response_id,
  answers: row.answers,
  startedAt: row.started_at,
  updatedAt: row.updated_at,
  completedAt: row.completed_at,
});

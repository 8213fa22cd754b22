import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../../../common/tenancy/tenant-row.js';
import type { Answers } from './surveys.types.js';

/** What a principal answered to a version of a survey. */
@Entity('survey_response')
export class SurveyResponseRow extends TenantRow {
  @PrimaryColumn('text')
  surveyId!: string;

  @PrimaryColumn('integer')
  surveyVersion!: number;

  @PrimaryColumn('text')
  principal!: string;

  @Column('uuid')
  responseId!: string;

  @Column('jsonb', { default: {} })
  answers!: Answers;

  @Column('timestamptz', { default: () => 'now()' })
  startedAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  completedAt!: Date | null;
}

import { Module } from '@nestjs/common';
import { RequestsController } from './requests.controller.js';
import { RequestsService } from './requests.service.js';
import { RequestsStore } from './requests.store.js';
import { RevenueController } from './revenue.controller.js';
import { RevenueService } from './revenue.service.js';
import { RevenueStore } from './revenue.store.js';
import { SurveyCatalog } from './survey-catalog.service.js';
import { SurveyWindowsService } from './survey-windows.service.js';
import { SurveysController } from './surveys.controller.js';
import { SurveysService } from './surveys.service.js';

// What works without a listener too.
export const FEEDBACK_SERVICES = [
  RequestsService,
  RequestsStore,
  RevenueService,
  RevenueStore,
  SurveyCatalog,
  SurveyWindowsService,
];

/**
 * The feedback of a tenant: feature requests with votes and status, declarations of what it would pay, and answers to
 * surveys, whose questions are files. On the command line the operator of the server reads all of it, answers, and
 * opens and closes surveys.
 */
@Module({
  controllers: [RequestsController, RevenueController, SurveysController],
  providers: [...FEEDBACK_SERVICES, SurveysService],
})
export class FeedbackModule {}

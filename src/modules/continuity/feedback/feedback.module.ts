import { Module } from '@nestjs/common';
import { RequestsController } from './requests.controller.js';
import { RequestsService } from './requests.service.js';
import { RequestsStore } from './requests.store.js';
import { RevenueController } from './revenue.controller.js';
import { RevenueService } from './revenue.service.js';
import { RevenueStore } from './revenue.store.js';
import { SurveysController } from './surveys.controller.js';
import { SurveysService } from './surveys.service.js';

/**
 * The feedback of a tenant: feature requests with votes and status, declarations of what it would pay, and answers to
 * surveys, whose questions are data in surveys.definitions.ts.
 */
@Module({
  controllers: [RequestsController, RevenueController, SurveysController],
  providers: [RequestsService, RequestsStore, RevenueService, RevenueStore, SurveysService],
})
export class FeedbackModule {}

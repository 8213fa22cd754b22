import { Module } from '@nestjs/common';
import { RequestsController } from './requests.controller.js';
import { RequestsService } from './requests.service.js';
import { RequestsStore } from './requests.store.js';
import { RevenueController } from './revenue.controller.js';
import { RevenueService } from './revenue.service.js';
import { RevenueStore } from './revenue.store.js';
import { SurveysController } from './surveys.controller.js';
import { SurveysService } from './surveys.service.js';
import { SurveysStore } from './surveys.store.js';

/**
 * What a tenant tells us: requests with votes and their way to shipped, what they would be worth to it, and answers to surveys, whose
 * questions are data in surveys.definitions.ts.
 */
@Module({
  controllers: [RequestsController, RevenueController, SurveysController],
  providers: [RequestsService, RequestsStore, RevenueService, RevenueStore, SurveysService, SurveysStore],
})
export class FeedbackModule {}

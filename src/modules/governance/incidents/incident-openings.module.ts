import { Module } from '@nestjs/common';
import { IncidentOpenings } from './incident-openings.service.js';

/** What opens incidents in an open unit of work; for the routes, and for parts of the server that notice something. */
@Module({ providers: [IncidentOpenings], exports: [IncidentOpenings] })
export class IncidentOpeningsModule {}

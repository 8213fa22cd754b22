import { Module } from '@nestjs/common';
import { ConsoleApiRoutes } from './console-api-routes.js';
import { ConsoleApiService } from './console-api.service.js';

/** The way of the console to the tenant API, through the daemon: one origin for the page (D73). */
@Module({ providers: [ConsoleApiRoutes, ConsoleApiService], exports: [ConsoleApiService] })
export class ConsoleApiModule {}

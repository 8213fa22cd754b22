import { Module } from '@nestjs/common';
import { ToolSetChoices } from './tool-set-choices.service.js';

/** Which set of tools a tenant chose, for the servers that list tools. */
@Module({ providers: [ToolSetChoices], exports: [ToolSetChoices] })
export class ToolSetChoicesModule {}

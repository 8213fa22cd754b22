import { Module } from '@nestjs/common';
import { SecretScreen } from './secret-screen.js';

/** Finds and masks credentials in texts before they are stored. */
@Module({ providers: [SecretScreen], exports: [SecretScreen] })
export class ScreeningModule {}

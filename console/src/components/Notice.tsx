import type { ReactNode } from 'react';

export function Notice({
  tone = 'plain',
  title,
  children,
}: {
  tone?: 'plain' | 'good' | 'warn' | 'bad';
  title?: string;
  children?: ReactNode;
}) {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {title && <h2>{title}</h2>}
      {children}
    </div>
  );
}

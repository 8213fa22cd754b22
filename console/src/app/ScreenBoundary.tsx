import { Component, type ReactNode } from 'react';
import { Button } from '../components/Button.tsx';

interface ScreenBoundaryProps {
  /** Of what is shown in the place of what failed. */
  title?: string;
  children: ReactNode;
}

/** A defect of one screen takes that screen alone, and says what it was. */
export class ScreenBoundary extends Component<ScreenBoundaryProps, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    const { title = 'This screen failed', children } = this.props;
    if (!error) return children;
    return (
      <div className="notice bad" role="alert">
        <h1>{title}</h1>
        <p>{error.message}</p>
        <Button onPress={() => this.setState({ error: undefined })}>Show it again</Button>
      </div>
    );
  }
}

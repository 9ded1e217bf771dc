import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow'
import type {
  QueryAnswer,
  QueryName,
  SignalName,
  StartedType,
  UpdateAnswer,
  UpdateName,
  WorkflowType,
} from '../protocol/workflows.ts'

/** Returns the definition of a signal that the contract of the workflow has (protocol/workflows.ts). */
export const signalOf = <Type extends WorkflowType>(_type: Type, name: SignalName<Type>) => defineSignal(name)

/** Returns the definition of a query that the contract of the workflow has, with the type of its answer. */
export const queryOf = <Type extends WorkflowType, Name extends QueryName<Type>>(_type: Type, name: Name) =>
  defineQuery<QueryAnswer<Type, Name>>(name)

/** Returns the definition of an update that the contract of the workflow has, with the type of its answer. */
export const updateOf = <Type extends StartedType, Name extends UpdateName<Type>>(_type: Type, name: Name) =>
  defineUpdate<UpdateAnswer<Type, Name>>(name)

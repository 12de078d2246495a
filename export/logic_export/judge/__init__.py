"""The pair judge: training rows, training, distillation, export and its gate."""

"""Boolean questions over passages, worded by a language model, in the manner of BoolQuestions."""

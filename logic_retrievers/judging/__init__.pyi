from logic_retrievers.judging.judge import LABELS as LABELS
from logic_retrievers.judging.judge import Judgement as Judgement
from logic_retrievers.judging.judge import QueryJudge as QueryJudge
from logic_retrievers.judging.onnx import OnnxPairJudge as OnnxPairJudge
from logic_retrievers.judging.onnx import default_judge as default_judge
from logic_retrievers.judging.settings import JudgeSettings as JudgeSettings
